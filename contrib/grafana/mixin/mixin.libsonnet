// SPDX-License-Identifier: Apache-2.0
// memtally's dashboards, recording rules and alerts as a mixin. docs/dashboards.md says how to use it.
local boards = {
  'memtally-host.json': import '../host.json',
  'memtally-users.json': import '../users.json',
  'memtally-daemons.json': import '../daemons.json',
};
// Its jobs are those with groups of process-exporter, so memtallySelector does not apply.
local groupBoards = { 'memtally-process-exporter.json': import '../process-exporter.json' };
local fleetBoards = { 'memtally-fleet.json': import '../fleet.json' };

// Joins the lines of each expression: std.parseYaml of jsonnet 0.18 fails at line breaks in a value.
local joined(text) =
  local parts = std.split(std.strReplace(text, 'expr: |\n', '\u0001'), '\u0001');
  local part(text) =
    local lines = std.split(text, '\n');
    local isMore(i) = std.startsWith(lines[i], '          ');
    local end = [i for i in std.range(0, std.length(lines) - 1) if !isMore(i)][0];
    'expr: ' + std.join(' ', [std.lstripChars(line, ' ') for line in lines[:end]]) + '\n' + std.join('\n', lines[end:]);
  parts[0] + std.join('', std.map(part, parts[1:]));
local groupsOf(text) = std.parseYaml(joined(text)).groups;
local groups = groupsOf(importstr '../../prometheus/memtally.rules.yml');
local fleetGroups = groupsOf(importstr '../../prometheus/fleet.rules.yml');
local alertGroups = groupsOf(importstr '../../prometheus/memtally.alerts.yml');

{
  _config:: {
    // Selects the targets of memtally: in the choice of jobs of the dashboards, and where rules count targets.
    memtallySelector: 'job="memtally"',
    // The page with the runbooks, to which each alert links; null keeps the installed file.
    memtallyRunbooks: null,
    // Sums over many hosts, with their alert and their dashboard.
    memtallyFleet: true,
  },

  local config = self._config,
  local selected(text) = std.strReplace(text, 'job="memtally"', config.memtallySelector),

  local rule(it) = it {
    expr: selected(super.expr),
    [if 'alert' in it && config.memtallyRunbooks != null then 'annotations']+: {
      runbook_url: config.memtallyRunbooks + '#' + std.split(super.runbook_url, '#')[1],
    },
  },
  // The rules of a kind, 'record' or 'alert', in the groups that have any.
  local only(kind, groups) = [
    group { rules: [rule(it) for it in group.rules if kind in it] }
    for group in groups
    if std.length([it for it in group.rules if kind in it]) > 0
  ],

  local variable(it) = if it.name == 'job' then it {
    query+: { query: std.strReplace(super.query, ', job)', '{' + config.memtallySelector + '}, job)') },
  } else it,
  local board(it) = it { templating: { list: [variable(each) for each in it.templating.list] } },

  local all = groups + (if config.memtallyFleet then fleetGroups else []),

  grafanaDashboards+:: std.mapWithKey(
    function(name, it) board(it), boards + (if config.memtallyFleet then fleetBoards else {})
  ) + groupBoards,
  prometheusRules+:: { groups+: only('record', all) },
  prometheusAlerts+:: { groups+: only('alert', all + alertGroups) },
}
