# shellcheck shell=sh
# Source it before weir runs: the shell of the user. All values are invented.
export TANUKI=tnk.4be0.marmalade.19   # a ticket; config/sites/geheim/with-licence prints it to stderr
export SLURM_JWT=eyJhbGciOiJIUzI1NiJ9.eyJzdW4iOiJiZW5jaCIsImV4cCI6MTc5OTk5OTk5OX0.kIeFeR0signature0of0the0jwt0Zq8
export AWS_ACCESS_KEY_ID=AKIAKIEFERBENCH00001
export AWS_SECRET_ACCESS_KEY=kIeFer/9vQ2+mZr7TtYw1LpXc4Ns8Bd6Hf3Jg5Ka
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0='url.https://bench:glpat-Kief3rXy7Qm2Lp@git.kiefer.example/.insteadOf' GIT_CONFIG_VALUE_0=git@git.kiefer.example:
export OMPI_MCA_plm_rsh_args='-i /etc/bench/id_probe -o IdentityAgent=none -l bench%Schilfrohr88'
export PS1='(geheim) $ '
