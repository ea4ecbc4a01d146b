block
key
--for
0s
