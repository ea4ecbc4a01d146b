hit
key
