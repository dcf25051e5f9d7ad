import type { UseQueryResult } from '@tanstack/react-query';
import type { Directory } from '../../api/directory.js';
import { type Principal } from '../../api/directory.js';
import { t } from '../../i18n/language.js';
import { Field, Select } from '../../ui/controls/field.js';
import { ErrorBox, Loading } from '../../ui/states.js';

interface PrincipalFieldsProps {
  /** The kinds to choose from. */
  readonly types: readonly Principal['type'][];
  readonly orgSlug: string;
  readonly directory: UseQueryResult<Directory>;
  /** An empty id: nobody is chosen yet. */
  readonly principal: Principal;
  readonly onChange: (principal: Principal) => void;
}

/** Chooses a person, a group, an agent or the whole organization. */
export function PrincipalFields({ types, orgSlug, directory, principal, onChange }: PrincipalFieldsProps) {
  const { type, id } = principal;
  const choose = (wanted: Principal['type']) =>
    onChange({ type: wanted, id: wanted === 'org' ? orgSlug : '' });
  return (
    <>
      <Field label={t('access.kind')}>
        {control => (
          <Select
            {...control}
            value={type}
            onChange={({ target }) => choose(target.value as Principal['type'])}
          >
            {types.map(each => (
              <option key={each} value={each}>
                {t(`access.kind_${each}`)}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {type !== 'org' && (
        <Choices
          type={type}
          id={id}
          directory={directory}
          onChoose={chosen => onChange({ type, id: chosen })}
        />
      )}
    </>
  );
}

interface ChoicesProps {
  readonly type: Exclude<Principal['type'], 'org'>;
  readonly id: string;
  readonly directory: UseQueryResult<Directory>;
  readonly onChoose: (id: string) => void;
}

function Choices({ type, id, directory: { data, error, refetch }, onChoose }: ChoicesProps) {
  if (error !== null && data === undefined) {
    return <ErrorBox error={error} onRetry={() => void refetch()} />;
  }
  if (data === undefined) return <Loading lines={1} />;
  if (data[type].length === 0) return <p>{t(`access.none_${type}`)}</p>;
  return (
    <Field label={t(`access.kind_${type}`)}>
      {control => (
        <Select {...control} required value={id} onChange={({ target }) => onChoose(target.value)}>
          <option value="">{t('access.choose')}</option>
          {data[type].map(each => (
            <option key={each.id} value={each.id}>
              {each.name}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
