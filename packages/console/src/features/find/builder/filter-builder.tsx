import { useMemo } from 'react';
import { type Columns } from '../../../values/field-types.js';
import { changed } from '../model/edit.js';
import type { Group } from '../model/model.js';
import type { Problem } from '../model/problems.js';
import { type Builder, BuilderProvider } from './builder-context.js';
import { GroupEditor } from './group-editor.js';

interface FilterBuilderProps {
  readonly model: Group;
  readonly columns: Columns;
  readonly fields: readonly string[];
  readonly problems: ReadonlyMap<string, Problem>;
  readonly refusals: ReadonlyMap<string, string>;
  readonly onChange: (model: Group) => void;
}

/** Groups of conditions in groups. */
export function FilterBuilder({ model, columns, fields, problems, refusals, onChange }: FilterBuilderProps) {
  const builder = useMemo<Builder>(
    () => ({
      columns,
      fields,
      problems,
      refusals,
      change: (path, change) => onChange(changed(model, path, change)),
      renderGroup: props => <GroupEditor {...props} />,
    }),
    [model, columns, fields, problems, refusals, onChange],
  );
  return (
    <BuilderProvider value={builder}>
      <GroupEditor group={model} path={[]} />
    </BuilderProvider>
  );
}
