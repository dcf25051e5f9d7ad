import type { CollectionInfo } from '../../../api/collection-query.js';
import { t } from '../../../i18n/language.js';
import { CodeTabs } from '../../../ui/controls/code-tabs.js';
import { Section } from '../../../ui/data/section.js';
import styles from '../access.module.css';
import { type McpClient, mcpClients } from './mcp-clients.js';

/** What to paste into programs with language models, so that they work with this collection. */
export function McpSection({ info }: { readonly info: CollectionInfo }) {
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
