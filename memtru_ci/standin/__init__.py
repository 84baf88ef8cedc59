"""The model stand-in: speaks like an OpenAI server, thinks like an echo, and holds on request."""
