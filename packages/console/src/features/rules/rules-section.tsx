import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { CollectionInfo } from '../../api/collection-query.js';
import { nameIn, type Principal } from '../../api/directory.js';
import { type ApiKey, directoryQuery, keysQuery } from '../../api/directory-queries.js';
import { accessRoute } from '../../api/routes.js';
import { t } from '../../i18n/language.js';
import { Button } from '../../ui/controls/button.js';
import { Section } from '../../ui/data/section.js';
import { SimpleTable } from '../../ui/data/simple-table.js';
import { type Binding, bindingsQuery } from '../access/queries.js';
import type { RuledGrant } from './ruled-grant.js';
import styles from './rules.module.css';

const RulesDialog = lazy(async () => ({ default: (await import('./rules-dialog.js')).RulesDialog }));
const ViewAsDialog = lazy(async () => ({ default: (await import('./view-as-dialog.js')).ViewAsDialog }));

/** The bindings and keys that can have rules, what they reach, and the collection as each of them sees it. */
export function RulesSection({ info }: { readonly info: CollectionInfo }) {
  const { collection } = accessRoute.useParams();
  const { page = 1 } = accessRoute.useSearch();
  const [edited, setEdited] = useState<RuledGrant>();
  const [viewed, setViewed] = useState<RuledGrant>();
  const bindings = useQuery(bindingsQuery(collection, page));
  const keys = useQuery({ ...keysQuery(collection), enabled: info.my_rights.includes('keys') });
  const directory = useQuery(directoryQuery(info.orgSlug)).data;
  const nameOf = (principal: Principal, email = '') => {
    const name = nameIn(directory, principal);
    return name === principal.id && email !== '' ? email : name;
  };
  const grants = bindings.data && [
    ...bindings.data.items
      .filter(({ role }) => role === 'reader' || role === 'editor')
      .map(each => ofBinding(each, nameOf)),
    ...(keys.data ?? []).filter(onlyRecords).map(ofKey),
  ];
  return (
    <Section title={t('rules.section')} text={t('rules.sectionText')}>
      <SimpleTable
        label={t('rules.section')}
        items={grants}
        itemKey={({ of }) => JSON.stringify(of)}
        error={bindings.error}
        onRetry={() => void bindings.refetch()}
        empty={t('rules.none')}
        columns={[
          { title: t('access.who'), cell: ({ name }) => name },
          { title: t('rules.records'), cell: ({ parts }) => t(parts.rules ? 'rules.some' : 'rules.every') },
          { title: t('rules.fields'), cell: ({ parts }) => t(parts.fields ? 'rules.some' : 'rules.every') },
          {
            title: t('access.actions'),
            align: 'end',
            cell: grant => (
              <span className={styles.end}>
                {grant.viewAs !== undefined && (
                  <Button
                    look="plain"
                    aria-label={t('rules.viewAsOf', { name: grant.name })}
                    onClick={() => setViewed(grant)}
                  >
                    {t('rules.viewAs')}
                  </Button>
                )}
                <Button
                  look="plain"
                  aria-label={t('rules.editOf', { name: grant.name })}
                  onClick={() => setEdited(grant)}
                >
                  {t('rules.edit')}
                </Button>
              </span>
            ),
          },
        ]}
      />
      <Suspense>
        {edited !== undefined && (
          <RulesDialog info={info} grant={edited} onClose={() => setEdited(undefined)} />
        )}
        {viewed?.viewAs !== undefined && (
          <ViewAsDialog
            info={info}
            name={viewed.name}
            viewAs={viewed.viewAs}
            onClose={() => setViewed(undefined)}
          />
        )}
      </Suspense>
    </Section>
  );
}

function ofBinding(
  { principal_type: type, principal_id: id, role, email, rules, fields }: Binding,
  nameOf: (principal: Principal, email?: string) => string,
): RuledGrant {
  const viewAs = type === 'user' || type === 'agent' ? `${type}:${id}` : undefined;
  return {
    of: { type, id },
    name: nameOf({ type, id } as Principal, email),
    writes: role === 'editor',
    parts: { rules, fields },
    viewAs: type === 'anonymous' ? type : viewAs,
  };
}

const OF_RECORDS = new Set(['collections:read', 'collections:propose', 'collections:write']);

/** A key that may do more than read and write records can have no rules. */
function onlyRecords({ permissions }: ApiKey): boolean {
  return permissions.every(each => OF_RECORDS.has(each));
}

function ofKey({ id, name, permissions, rules, fields }: ApiKey): RuledGrant {
  return {
    of: { key: id },
    name,
    writes: permissions.includes('collections:write'),
    parts: { rules, fields },
    viewAs: `key:${id}`,
  };
}
