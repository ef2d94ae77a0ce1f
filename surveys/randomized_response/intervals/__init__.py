"""How far off an estimate may be: intervals, fixed and for looking every day."""
