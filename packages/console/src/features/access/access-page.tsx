import { useQuery } from '@tanstack/react-query';
import { collectionQuery } from '../../api/collection-query.js';
import { accessRoute } from '../../api/routes.js';
import { t } from '../../i18n/language.js';
import { EmptyState, Loading } from '../../ui/states.js';
import styles from './access.module.css';
import { ExplainDialog } from './explain-dialog.js';
import { KeysSection } from './keys/keys-section.js';
import { McpSection } from './mcp/mcp-section.js';
import { SharingSection } from './sharing/sharing-section.js';

/** Who may use one collection: people, groups, keys and language models. */
export function AccessPage() {
  const { collection } = accessRoute.useParams();
  const { explain } = accessRoute.useSearch();
  const { data: info } = useQuery(collectionQuery(collection));
  if (info === undefined) return <Loading lines={8} />;
  const mayShare = info.my_rights.includes('share');
  const mayMint = info.my_rights.includes('keys');
  if (!mayShare && !mayMint) {
    return <EmptyState title={t('access.refused')}>{t('access.refusedText')}</EmptyState>;
  }
  return (
    <section aria-label={t('access.title')} className={styles.page}>
      {mayShare && <SharingSection info={info} />}
      {mayMint && <KeysSection info={info} />}
      <McpSection info={info} />
      {mayShare && explain !== undefined && <ExplainDialog info={info} principal={explain} />}
    </section>
  );
}
