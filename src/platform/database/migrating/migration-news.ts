import type { Blocker } from './lock-conflicts.js';

/** What happens while a database is migrated, for logs. */
export interface MigrationNews {
  /** Name of the migration; undefined while another process migrates. */
  readonly migration?: string;
  readonly state: 'begun' | 'applied' | 'undone' | 'waiting';
  /** For what it waits. */
  readonly waitsFor?: readonly Blocker[];
}

export type Tell = (news: MigrationNews) => void;

/** One line for people. */
export function newsText({ migration, state, waitsFor = [] }: MigrationNews): string {
  if (state === 'begun') return `migration ${migration} begins`;
  if (state !== 'waiting') return `migration ${migration} is ${state}`;
  if (migration === undefined) return 'waiting for another process that migrates the database';
  const others = waitsFor.map(
    ({ pid, application, since }) =>
      `pid ${pid} (${application || 'without a name'}), since ${since ?? 'an unknown time'}`,
  );
  return `migration ${migration} waits until these transactions end: ${others.join('; ')}`;
}
