import { useQuery } from '@tanstack/react-query';
import type { CollectionInfo } from '../../../api/collection-query.js';
import { nameIn, PRINCIPAL_TYPES, type Principal } from '../../../api/directory.js';
import { directoryQuery } from '../../../api/directory-queries.js';
import { t } from '../../../i18n/language.js';
import { Dialog } from '../../../ui/overlays/dialog.js';
import { ErrorBox } from '../../../ui/states/error-box.js';
import { Loading } from '../../../ui/states/loading.js';
import styles from '../access.module.css';
import { PrincipalFields } from '../principal-fields.js';
import { explanationQuery } from '../queries.js';
import { accessRoute } from '../route.js';
import { AccessChain } from './access-chain.js';
import { RightsTable } from './rights-table.js';

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
    const found = type === 'org' ? undefined : directory.data?.[type][0];
    return found === undefined ? principal : { type, id: found.id };
  }
}
