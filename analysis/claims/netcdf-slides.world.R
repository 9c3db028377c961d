# The slides are of what the paper measured, so they share its world.

paper <- load_world("ime-paper")
facts <- paper$facts
holds <- paper$holds
contrary <- paper$contrary
