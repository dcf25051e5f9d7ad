import { hasMessage, t } from '../../../i18n/language.js';
import { actionName } from '../../../values/events.js';

/** What happened, in words; the type of the event if the console has no words for it. */
export function eventName(type: string): string {
  const name = actionName(type);
  if (name !== type) return name;
  const end = type.lastIndexOf('.');
  const [kind, act] = [kindKey(type.slice(0, end)), `events.act_${type.slice(end + 1)}`];
  return hasMessage(kind) && hasMessage(act) ? `${t(kind)} · ${t(act)}` : type;
}

/** Of what kind events are whose types begin with this text (`orgs.members`). */
export function kindName(category: string): string {
  const kind = kindKey(category);
  return hasMessage(kind) ? t(kind) : `${category}.*`;
}

function kindKey(category: string): string {
  return `events.of_${category.replaceAll('.', '_')}`;
}
