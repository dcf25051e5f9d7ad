import {
  ArrowDown,
  ArrowUp,
  ChartColumn,
  Copy,
  EllipsisVertical,
  Pencil,
  Table2,
  Trash2,
} from 'lucide-react';
import { type RefObject, useEffect, useId, useRef, useState } from 'react';
import { t } from '../../i18n/language.js';
import { Button, IconButton } from '../../ui/controls/button.js';
import { Menu, MenuItem, MenuSeparator } from '../../ui/overlays/menu.js';
import { ChartFigures } from './chart-figures.js';
import styles from './charts.module.css';
import { type Chart, isEditable } from './model/chart.js';

/** What can be done with a saved chart by those who may. */
export interface ChartActions {
  readonly edit: (chart: Chart) => void;
  readonly duplicate: (chart: Chart) => void;
  readonly move: (chart: Chart, by: -1 | 1) => void;
  readonly remove: (chart: Chart) => void;
}

interface ChartCardProps {
  readonly collection: string;
  readonly chart: Chart;
  readonly every: number | false;
  /** Left out for those who may not change charts. */
  readonly actions?: ChartActions | undefined;
}

/** A saved chart with its title, as drawing or as table. */
export function ChartCard({ collection, chart, every, actions }: ChartCardProps) {
  const [element, isSeen] = useSeen<HTMLElement>();
  const [asTable, setAsTable] = useState(false);
  const title = useId();
  const hasDrawing = chart.type !== 'table';
  return (
    <article ref={element} className={styles.card} aria-labelledby={title}>
      <header className={styles.cardHeader}>
        <h2 id={title}>{chart.title === '' ? t('charts.untitled') : chart.title}</h2>
        {hasDrawing && (
          <Button
            look="plain"
            aria-pressed={asTable}
            icon={asTable ? <ChartColumn size={16} aria-hidden /> : <Table2 size={16} aria-hidden />}
            onClick={() => setAsTable(!asTable)}
          >
            {t('charts.asTable')}
          </Button>
        )}
        {actions !== undefined && <CardMenu chart={chart} actions={actions} />}
      </header>
      <ChartFigures collection={collection} chart={chart} asTable={asTable} isSeen={isSeen} every={every} />
    </article>
  );
}

function CardMenu({ chart, actions }: { readonly chart: Chart; readonly actions: ChartActions }) {
  return (
    <Menu
      trigger={
        <IconButton
          label={t('charts.actions', { title: chart.title })}
          icon={<EllipsisVertical size={18} aria-hidden />}
        />
      }
    >
      {isEditable(chart) && (
        <MenuItem icon={<Pencil size={16} aria-hidden />} onSelect={() => actions.edit(chart)}>
          {t('charts.edit')}
        </MenuItem>
      )}
      <MenuItem icon={<Copy size={16} aria-hidden />} onSelect={() => actions.duplicate(chart)}>
        {t('charts.duplicate')}
      </MenuItem>
      <MenuItem icon={<ArrowUp size={16} aria-hidden />} onSelect={() => actions.move(chart, -1)}>
        {t('charts.moveBack')}
      </MenuItem>
      <MenuItem icon={<ArrowDown size={16} aria-hidden />} onSelect={() => actions.move(chart, 1)}>
        {t('charts.moveOn')}
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={<Trash2 size={16} aria-hidden />} onSelect={() => actions.remove(chart)}>
        {t('charts.remove')}
      </MenuItem>
    </Menu>
  );
}

/** True from the time at which an element is in view, or nearly. */
function useSeen<E extends HTMLElement>(): [RefObject<E | null>, boolean] {
  const element = useRef<E>(null);
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    if (isSeen || element.current === null) return;
    const observer = new IntersectionObserver(
      entries => setSeen(entries.some(entry => entry.isIntersecting)),
      { rootMargin: '200px' },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [isSeen]);
  return [element, isSeen];
}
