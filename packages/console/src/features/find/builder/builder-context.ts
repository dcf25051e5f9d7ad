import { createContext, type ReactNode, useContext } from 'react';
import { type Columns } from '../../../values/field-types.js';
import type { Path } from '../model/edit.js';
import type { Group, Item } from '../model/model.js';
import type { Problem } from '../model/problems.js';

export interface GroupEditorProps {
  readonly group: Group;
  readonly path: Path;
  /** Conditions on an element itself have no field, and always hold together. */
  readonly ofValues?: boolean | undefined;
  /** Conditions on the fields of an element have no columns. */
  readonly inElement?: boolean | undefined;
  /** The group of `Elements` cannot be removed alone. */
  readonly isFixed?: boolean;
}

/** What every part of the filter builder needs. */
export interface Builder {
  readonly columns: Columns;
  /** Suggested names of fields without a column. */
  readonly fields: readonly string[];
  /** Texts that stand for values of the caller, as suggestions for texts. Only in rules. */
  readonly variables: readonly string[];
  /** What is incomplete, by the path as text. Empty until somebody tries to apply the filter. */
  readonly problems: ReadonlyMap<string, Problem>;
  /** The message of the service, by the path of the item that it names. */
  readonly refusals: ReadonlyMap<string, string>;
  /** Changes the item at a path. An undefined result removes it. */
  readonly change: (path: Path, change: (item: Item) => Item | undefined) => void;
  /** The editor of a group inside of another item. */
  readonly renderGroup: (props: GroupEditorProps) => ReactNode;
}

const Context = createContext<Builder | undefined>(undefined);
export const BuilderProvider = Context.Provider;

export function useBuilder(): Builder {
  const builder = useContext(Context);
  if (builder === undefined) throw new Error('used outside of the filter builder');
  return builder;
}

/** The place of an item as people count: `2.1`. */
export function placeOf(path: Path): string {
  return path.map(index => index + 1).join('.');
}
