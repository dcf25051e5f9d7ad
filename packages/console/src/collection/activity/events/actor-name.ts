import { t } from '../../../i18n/language.js';
import { type Directory, nameIn } from '../../access/directory.js';
import type { AuditEvent } from '../queries.js';

/** Who caused an event: the name of a person or an agent, and the kind and id of anything else. */
export function actorName(directory: Directory | undefined, { type, id }: AuditEvent['actor']): string {
  if (type === 'user' || type === 'agent') return nameIn(directory, { type, id });
  return t(`activity.actor_${type}`, { id });
}
