import { X } from 'lucide-react';
import type { Directory } from '../../../api/directory.js';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { Field, Select } from '../../../ui/controls/field.js';
import { TextField } from '../../../ui/controls/text-field.js';
import { ACTIONS, actionName } from '../../../values/events.js';
import { activityRoute } from '../route.js';
import type { ActivitySearch } from '../search.js';
import styles from './events.module.css';

interface EventFiltersProps {
  readonly search: ActivitySearch;
  readonly directory: Directory | undefined;
}

/** Narrows the list. The address keeps the filters, so that a link shows the same events. */
export function EventFilters({ search, directory }: EventFiltersProps) {
  const navigate = activityRoute.useNavigate();
  const set = (name: keyof ActivitySearch, value: string) =>
    void navigate({
      search: ({ [name]: _, ...rest }) => (value === '' ? rest : { ...rest, [name]: value }),
    });
  const people = [...(directory?.user ?? []), ...(directory?.agent ?? [])];
  const isListed = search.actor === undefined || people.some(({ id }) => id === search.actor);
  return (
    <div className={styles.filters}>
      <Field label={t('activity.what')}>
        {control => (
          <Select
            {...control}
            value={search.action ?? ''}
            onChange={({ target }) => set('action', target.value)}
          >
            <option value="">{t('activity.everything')}</option>
            {ACTIONS.map(action => (
              <option key={action} value={action}>
                {actionName(action)}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label={t('activity.who')}>
        {control => (
          <Select
            {...control}
            value={search.actor ?? ''}
            onChange={({ target }) => set('actor', target.value)}
          >
            <option value="">{t('activity.everybody')}</option>
            {!isListed && <option value={search.actor}>{search.actor}</option>}
            {people.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {(['since', 'until'] as const).map(end => (
        <TextField
          key={end}
          label={t(`activity.${end}`)}
          type="date"
          value={search[end] ?? ''}
          onChange={value => set(end, value)}
        />
      ))}
      {(['record', 'request'] as const).map(
        name =>
          search[name] !== undefined && (
            <Button
              key={name}
              className={styles.chip}
              icon={<X size={15} aria-hidden />}
              aria-label={t(`activity.without_${name}`, { id: search[name] })}
              onClick={() => set(name, '')}
            >
              {t(`activity.only_${name}`, { id: search[name] })}
            </Button>
          ),
      )}
    </div>
  );
}
