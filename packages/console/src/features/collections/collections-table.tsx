import { Link } from '@tanstack/react-router';
import { language, t } from '../../i18n/language.js';
import { roleName } from '../../values/role-name.js';
import styles from './collections.module.css';
import { CountButton } from './count-button.js';
import type { ListedCollection } from './list-query.js';

/** One row for each collection. Narrow screens show owner and role below the name. */
export function CollectionsTable({ items }: { readonly items: readonly ListedCollection[] }) {
  return (
    <table className={styles.table}>
      <caption className="visually-hidden">{t('collections.title')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('collections.name')}</th>
          <th scope="col" className={styles.secondary}>
            {t('collections.owner')}
          </th>
          <th scope="col" className={styles.secondary}>
            {t('collections.role')}
          </th>
          <th scope="col" className={styles.secondary}>
            {t('collections.updated')}
          </th>
          <th scope="col" className={styles.number}>
            {t('collections.records')}
          </th>
        </tr>
      </thead>
      <tbody>
        {items.map(item => (
          <Row key={item.collection_id} item={item} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ item }: { readonly item: ListedCollection }) {
  const { collection_id: id, name, description, updated_at: updated } = item;
  const owner = item.owner_name ?? t('collections.ownerUnknown');
  return (
    <tr>
      <th scope="row">
        <Link to="/collections/$collection" params={{ collection: id }} className={styles.name}>
          {name}
        </Link>
        {description !== null && description !== '' && (
          <span className={styles.description}>{description.slice(0, 200)}</span>
        )}
        <span className={styles.below}>
          {owner} · {roleName(item.my_role)}
        </span>
      </th>
      <td className={styles.secondary}>{owner}</td>
      <td className={styles.secondary}>{roleName(item.my_role)}</td>
      <td className={styles.secondary}>
        <time dateTime={updated} title={new Date(updated).toLocaleString(language())}>
          {new Intl.DateTimeFormat(language(), { dateStyle: 'medium' }).format(new Date(updated))}
        </time>
      </td>
      <td className={styles.number}>
        {item.my_rights.includes('read') && <CountButton id={id} name={name} />}
      </td>
    </tr>
  );
}
