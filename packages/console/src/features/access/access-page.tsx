import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type CollectionInfo, collectionQuery } from '../../api/collection-query.js';
import { accessRoute } from '../../api/routes.js';
import { t } from '../../i18n/language.js';
import { CodeTabs } from '../../ui/controls/code-tabs.js';
import { Section } from '../../ui/data/section.js';
import { EmptyState, Loading } from '../../ui/states.js';
import styles from './access.module.css';
import { ExplainDialog } from './explain-dialog.js';
import { KeysSection } from './keys/keys-section.js';
import { type McpClient, mcpClients } from './mcp/mcp-clients.js';
import { SharingSection } from './sharing/sharing-section.js';

/** Who may use one collection: people, groups, keys and language models. `more`: what follows the keys. */
export function AccessPage({ more }: { readonly more: ReactNode }) {
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
      {more}
      <McpSection info={info} />
      {mayShare && explain !== undefined && <ExplainDialog info={info} principal={explain} />}
    </section>
  );
}

/** What to paste into programs with language models, so that they work with this collection. */
function McpSection({ info }: { readonly info: CollectionInfo }) {
  const clients = mcpClients(`${location.origin}/v1/collections/${info.collection_id}/mcp`, info.name);
  const variants = (text: (client: McpClient) => string) =>
    clients.map(client => ({
      id: client.id,
      title: client.name ?? t('access.otherProgram'),
      text: text(client),
      hint: t(`access.mcp_${client.id}`),
    }));
  return (
    <Section title={t('access.mcp')} text={t('access.mcpText')}>
      <h3>{t('access.mcpSigningIn')}</h3>
      <CodeTabs label={t('access.mcpSigningIn')} variants={variants(({ signingIn }) => signingIn)} />
      <details className={styles.stack}>
        <summary>{t('access.mcpWithKey')}</summary>
        <p className={styles.quiet}>{t('access.mcpKeyText', { name: 'COLLECTIONS_KEY' })}</p>
        <CodeTabs label={t('access.mcpWithKey')} variants={variants(({ withKey }) => withKey)} />
      </details>
    </Section>
  );
}
