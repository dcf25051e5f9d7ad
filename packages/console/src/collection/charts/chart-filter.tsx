import { Link } from '@tanstack/react-router';
import { ChartColumn } from 'lucide-react';
import { t } from '../../i18n/language.js';
import button from '../../ui/controls/button.module.css';
import type { ChartFilter } from './model/chart.js';

/** Leads from the records that a filter matches to a new chart of them. */
export function ChartFilterLink({
  collection,
  filter,
}: {
  /** The collection as the address names it. */
  readonly collection: string;
  readonly filter: ChartFilter;
}) {
  return (
    <Link
      to="/collections/$collection/charts"
      params={{ collection }}
      search={{ filter }}
      className={button.button}
    >
      <ChartColumn size={16} aria-hidden />
      {t('charts.chartFilter')}
    </Link>
  );
}
