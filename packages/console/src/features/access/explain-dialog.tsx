import { useQuery } from '@tanstack/react-query';
import { Ban, Check, CircleDot, Minus } from 'lucide-react';
import type { CollectionInfo } from '../../api/collection-query.js';
import { type Directory, isWhole, nameIn, PRINCIPAL_TYPES, type Principal } from '../../api/directory.js';
import { directoryQuery } from '../../api/directory-queries.js';
import { accessRoute } from '../../api/routes.js';
import { t } from '../../i18n/language.js';
import { SimpleTable } from '../../ui/data/simple-table.js';
import { Dialog } from '../../ui/overlays/dialog.js';
import { ErrorBox, Loading } from '../../ui/states.js';
import { roleName } from '../../values/names.js';
import styles from './access.module.css';
import chain from './explain/chain.module.css';
import { PrincipalFields } from './principal-fields.js';
import { type Explanation, explanationQuery } from './queries.js';

/** Why somebody has access or not. The address names who, so that a link shows the same. */
export function ExplainDialog({
  info,
  principal,
}: {
  readonly info: CollectionInfo;
  readonly principal: Principal;
}) {
  const navigate = accessRoute.useNavigate();
  const directory = useQuery(directoryQuery(info.orgSlug));
  const { data, error, refetch } = useQuery(explanationQuery(info.collection_id, principal));
  const name = nameIn(directory.data, principal);
  const explain = (chosen: Principal | undefined) =>
    void navigate({ search: ({ explain: _, ...rest }) => ({ ...rest, ...(chosen && { explain: chosen }) }) });
  return (
    <Dialog
      open
      onOpenChange={open => !open && explain(undefined)}
      title={t('access.whyTitle', { collection: info.name })}
    >
      <div className={styles.stack}>
        <PrincipalFields
          types={PRINCIPAL_TYPES}
          orgSlug={info.orgSlug}
          directory={directory}
          principal={principal}
          onChange={chosen => explain(chosen.id === '' ? first(chosen) : chosen)}
        />
        {data === undefined && error === null && <Loading lines={5} />}
        {data === undefined && error !== null && <ErrorBox error={error} onRetry={() => void refetch()} />}
        {data !== undefined && (
          <>
            <AccessChain explanation={data} name={name} orgSlug={info.orgSlug} directory={directory.data} />
            <RightsTable rights={data.rights} />
          </>
        )}
      </div>
    </Dialog>
  );
  /** The address always names somebody: of another kind, the first one. */
  function first({ type }: Principal): Principal {
    if (isWhole(type)) return { type, id: info.orgSlug };
    const found = directory.data?.[type][0];
    return found === undefined ? principal : { type, id: found.id };
  }
}

interface AccessChainProps {
  readonly explanation: Explanation;
  readonly name: string;
  readonly orgSlug: string;
  readonly directory: Directory | undefined;
}

const ICONS = { grants: Check, none: Minus, denies: Ban };

/** The paths from a principal to its role, in the order in which the service looks at them. */
function AccessChain({ explanation, name, orgSlug, directory }: AccessChainProps) {
  const { role, paths, principal_type: type } = explanation;
  const isDenied = paths.some(({ outcome }) => outcome === 'denies');
  return (
    <ol className={chain.chain} aria-label={t('access.chain')}>
      <li>
        <CircleDot size={18} aria-hidden className={chain.icon} />
        <strong>{name}</strong>
      </li>
      {type === 'user' && !isDenied && (
        <li className={chain.grants}>
          <Check size={18} aria-hidden className={chain.icon} />
          {t('access.isMember', { org: orgSlug })}
        </li>
      )}
      {paths.map(path => {
        const Icon = ICONS[path.outcome];
        const of = path.principal_id ?? '';
        const group = of === '' ? '' : nameIn(directory, { type: 'group', id: of });
        return (
          <li key={`${path.path} ${of}`} className={chain[path.outcome]}>
            <Icon size={18} aria-hidden className={chain.icon} />
            <span>{t(`access.path_${path.path}`, { group, org: orgSlug })}</span>
            <span className={chain.outcome}>
              {path.role === undefined ? t(`access.outcome_${path.outcome}`) : roleName(path.role)}
            </span>
          </li>
        );
      })}
      <li className={role === null ? chain.denies : chain.result}>
        {role === null ? (
          <Ban size={18} aria-hidden className={chain.icon} />
        ) : (
          <Check size={18} aria-hidden className={chain.icon} />
        )}
        <strong>
          {role === null ? t('access.noAccess') : t('access.highest', { role: roleName(role) })}
        </strong>
      </li>
    </ol>
  );
}

type Right = Explanation['rights'][number];

/** What the role and the permissions allow, and what is missing for the rest. */
function RightsTable({ rights }: { readonly rights: readonly Right[] }) {
  return (
    <SimpleTable
      label={t('access.rights')}
      items={rights}
      itemKey={({ right }) => right}
      empty={t('access.noAccess')}
      columns={[
        { title: t('access.right'), cell: ({ right }) => t(`access.right_${right}`) },
        { title: t('access.allowed'), cell: allowance },
      ]}
    />
  );
}

function allowance({ allowed, missing, needs_role, needs_permission }: Right): string {
  if (allowed) return t('access.yes');
  return missing === 'permission'
    ? t('access.needsPermission', { permission: needs_permission })
    : t('access.needsRole', { role: roleName(needs_role) });
}
