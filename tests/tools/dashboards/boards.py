# SPDX-License-Identifier: Apache-2.0
"""The dashboards in contrib/grafana that are made from the tables of metrics, owners and kinds of memory."""
import daemons
import fleet
import grafana
import host
import users

FOLDER = "contrib/grafana"


class Metrics:
    """The tables. FAMILIES returns the rows of a scope of the table of metrics, one for each metric."""

    def __init__(self, families, owners, kinds):
        self.families, self.owners, self.kinds = families, owners, kinds


def made(metrics):
    """Returns the text of each dashboard by its path."""
    boards = {"host": host.host_board, "users": users.users_board, "fleet": fleet.fleet_board, "daemons": daemons.daemons_board}
    return {f"{FOLDER}/{name}.json": grafana.render(make(metrics)) + "\n" for name, make in boards.items()}
