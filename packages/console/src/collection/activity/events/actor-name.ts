import { t } from '../../../i18n/language.js';
import { type Directory, nameIn } from '../../access/directory.js';
import type { ApiKey } from '../../access/queries.js';
import type { AuditEvent } from '../queries.js';

export type Actor = AuditEvent['actor'];

interface Known {
  readonly directory: Directory | undefined;
  /** The keys of the collection. */
  readonly keys: readonly ApiKey[];
}

/** Who caused an event: the name of a person, an agent or a key, else the kind and the id. */
export function actorName({ directory, keys }: Known, { type, id }: Actor): string {
  if (type === 'user' || type === 'agent') return nameIn(directory, { type, id });
  const key = type === 'key' ? keys.find(each => each.id === id) : undefined;
  return t(`activity.actor_${type}`, { id: key?.name ?? id });
}
