"""The pure core: arrays in, arrays out; no clock, file, socket or hidden randomness."""
