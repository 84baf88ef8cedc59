class RecordingProgress:
    def scenario_started(self, *a):
        pass

    def event_recorded(self, *a):
        pass

    def window_open(self, *a):
        pass

    def scenario_ended(self, *a):
        pass
