"""What mappings of any protocol share: presets, and reading answers by expressions."""
