explore
check-then-add
--replay
0,x
