#pragma once

/* `imectl drainer` for the settings in config_file, in a session of its own and with no file of ours open. */
int spawn_drainer(const char *config_file);
