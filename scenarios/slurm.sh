#!/bin/sh
#SBATCH --job-name=rlctl --ntasks=1 --array=1-8
# One run of rlctl on eight nodes. In a folder that all nodes see, set REDIS and START_AT, then:
#   job=$(START_AT=$(($(date +%s) + 120)) sbatch --parsable slurm.sh my.json)
#   sbatch --dependency=afterany:"$job" --wrap "rlctl run my.json --logs part-$job-*.jsonl"
rlctl run "$1" --redis "$REDIS" --quiet --start-at "$START_AT" \
  --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" \
  --log "part-$SLURM_ARRAY_JOB_ID-$SLURM_ARRAY_TASK_ID.jsonl"
[ $? -eq 4 ]  # a part alone is inconclusive
