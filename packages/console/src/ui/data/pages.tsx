import { Link } from '@tanstack/react-router';
import { t } from '../../i18n/language.js';
import styles from './pages.module.css';

interface PagesProps {
  /** What the pages list, for screen readers. */
  readonly label: string;
  /** From 1. */
  readonly page: number;
  readonly perPage: number;
  readonly total: number;
}

/**
 * Which part of a list is shown, and links to its neighbours: the same address with another `page`. Nothing for a list
 * without items.
 */
export function Pages({ label, page, perPage, total }: PagesProps) {
  if (total === 0) return null;
  const from = (page - 1) * perPage + 1;
  const pageLink = (to: number, text: string) => (
    <Link to="." search={(search: object) => ({ ...search, page: to }) as never}>
      {text}
    </Link>
  );
  return (
    <nav aria-label={t('common.pagesOf', { name: label })} className={styles.pages}>
      <span role="status">{t('common.shownOf', { from, to: Math.min(page * perPage, total), total })}</span>
      {page > 1 && pageLink(page - 1, t('common.previousPage'))}
      {page * perPage < total && pageLink(page + 1, t('common.nextPage'))}
    </nav>
  );
}
