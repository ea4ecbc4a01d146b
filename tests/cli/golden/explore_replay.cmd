explore
check-then-add
--limit
1
--clients
2
--replay
0,0,1,1,0
