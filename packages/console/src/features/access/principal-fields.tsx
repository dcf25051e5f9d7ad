import type { UseQueryResult } from '@tanstack/react-query';
import { type Directory, isWhole, type Principal, type WholeType } from '../../api/directory.js';
import { t } from '../../i18n/language.js';
import { ChoiceField } from '../../ui/controls/field.js';
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
    onChange({ type: wanted, id: isWhole(wanted) ? orgSlug : '' });
  return (
    <>
      <ChoiceField
        label={t('access.kind')}
        choices={types}
        textOf={each => t(`access.kind_${each}`)}
        value={type}
        onChange={choose}
      />
      {!isWhole(type) && (
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
  readonly type: Exclude<Principal['type'], WholeType>;
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
    <ChoiceField
      label={t(`access.kind_${type}`)}
      required
      choices={['', ...data[type].map(each => each.id)]}
      textOf={each => data[type].find(({ id }) => id === each)?.name ?? t('access.choose')}
      value={id}
      onChange={onChoose}
    />
  );
}
