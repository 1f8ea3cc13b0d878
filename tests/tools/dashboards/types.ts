// SPDX-License-Identifier: Apache-2.0
// The types of a dashboard, from Grafana's own packages. A field that Grafana does not have is an error in a literal.
import type { AnnotationQuery, Dashboard, DataQuery, FieldConfig, Panel, RowPanel, VariableModel } from '@grafana/schema';
import type * as stat from './node_modules/@grafana/schema/dist/esm/raw/composable/stat/panelcfg/x/StatPanelCfg_types.gen.d.ts';
import type * as table from './node_modules/@grafana/schema/dist/esm/raw/composable/table/panelcfg/x/TablePanelCfg_types.gen.d.ts';
import type * as graph from './node_modules/@grafana/schema/dist/esm/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen.d.ts';

// With the texts of an enumeration in place of its names, as in JSON.
type Text<T> = T extends string ? `${T}` : T extends object ? { [K in keyof T]: Text<T[K]> } : T;

// A query to Prometheus, of which the packages have no type.
type Query = Text<DataQuery> & { expr: string; legendFormat?: string; format?: 'table'; instant?: boolean; range?: boolean };

type Override<C> = {
  matcher: { id: 'byName'; options: string };
  properties: { id: keyof FieldConfig | `custom.${keyof C & string}`; value: unknown }[];
};

type Of<Kind extends string, Options, Custom> = Text<Omit<Panel, 'type' | 'targets' | 'options' | 'fieldConfig'>> & {
  type: Kind;
  targets: Query[];
  options: Text<Options>;
  fieldConfig: { defaults: Text<Omit<FieldConfig, 'custom'>> & { custom?: Text<Custom> }; overrides: Override<Custom>[] };
};

type Shown =
  | Of<'stat', stat.Options, {}>
  | Of<'table', table.Options, table.FieldConfig>
  | Of<'timeseries', graph.Options, graph.FieldConfig>;

type Row = Text<Omit<RowPanel, 'panels'>> & { panels: Shown[] };

type Annotation = Text<AnnotationQuery> & {
  expr: string; step: string; titleFormat: string; textFormat: string; tagKeys: string;
};

export type Board = Text<Omit<Dashboard, 'panels' | 'annotations' | 'templating'>> & {
  panels: (Row | Shown)[];
  annotations?: { list: Annotation[] };
  templating: { list: Text<VariableModel>[] };
};
