import { Link } from '@tanstack/react-router';
import { ChartColumn } from 'lucide-react';
import { t } from '../../i18n/language.js';
import button from '../../ui/controls/button.module.css';
import type { ChartFilter } from './model/chart.js';

interface ChartFilterLinkProps {
  /** The collection as the address names it. */
  readonly collection: string;
  readonly filter: ChartFilter;
  /** The instant whose records are shown; undefined for now. */
  readonly asOf: string | undefined;
}

/** Leads from the records that a filter matches to a new chart of them. */
export function ChartFilterLink({ collection, filter, asOf }: ChartFilterLinkProps) {
  return (
    <Link
      to="/collections/$collection/charts"
      params={{ collection }}
      search={{ filter, ...(asOf !== undefined && { as_of: asOf }) }}
      className={button.button}
    >
      <ChartColumn size={16} aria-hidden />
      {t('charts.chartFilter')}
    </Link>
  );
}
