reset
