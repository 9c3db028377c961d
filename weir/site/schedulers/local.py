"""No queue: what is measured runs at once, on the machine where it is started."""

from weir.site.schedulers import Scheduler


class Local(Scheduler):
    name = "local"
    description = "no queue; this machine, or an allocation that somebody made by hand"


SCHEDULER = Local()
