import { Bookmark, Check } from 'lucide-react';
import { type FormEvent, useId, useState } from 'react';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { ChoiceField, TextField } from '../../../ui/controls/field.js';
import { Dialog } from '../../../ui/overlays/dialog.js';
import { Menu, MenuGroup, MenuItem, MenuSeparator } from '../../../ui/overlays/menu.js';
import { ErrorBox, titleOf } from '../../../ui/states.js';
import type { Finder } from '../use-finder.js';
import { type SavedView, searchOf, useViewChanges, useViews } from './use-views.js';
import { isChanged } from './view-search.js';
import styles from './views.module.css';

type Opened = 'saveAs' | 'rename' | 'delete';

/** The saved views: opens one, and saves, renames and deletes the one that is open. */
export function ViewsMenu({ finder }: { readonly finder: Finder }) {
  const { collection, search, show } = finder;
  const [isOpen, setOpen] = useState(false);
  const [opened, setOpened] = useState<Opened>();
  const { data: views = [], error, isSuccess, current } = useViews(finder, isOpen);
  const changes = useViewChanges(finder);
  const changed = current !== undefined && isChanged(current, search);
  const mayChange = current !== undefined && (current.for === 'me' || collection.my_rights.includes('write'));
  const isPlain = (search.filter ?? search.sort ?? search.columns) === undefined;
  const name = current?.name ?? '';
  const label =
    current === undefined ? t('find.views') : t(changed ? 'find.viewChanged' : 'find.viewIs', { name });
  const dialog = (wanted: Opened) => ({
    finder,
    changes,
    open: opened === wanted,
    onOpenChange: (isOpen: boolean) => setOpened(isOpen ? wanted : undefined),
  });
  const save = (view: SavedView) =>
    changes.replace.mutate({ view, name: view.name, audience: view.for, keep: false });
  return (
    <>
      <Menu
        onOpenChange={setOpen}
        trigger={
          <Button icon={<Bookmark size={16} aria-hidden />} className={styles.trigger}>
            <span className={styles.cut}>{label}</span>
          </Button>
        }
      >
        {error !== null && <Note text={titleOf(error)} />}
        <MenuItem
          icon={<Mark isShown={isPlain} />}
          onSelect={() => show({ filter: undefined, sort: undefined, columns: undefined, view: undefined })}
        >
          {t('find.allRecords')}
        </MenuItem>
        {isSuccess && views.length === 0 && <Note text={t('find.noViews')} />}
        {(['all', 'me'] as const).map(audience => (
          <ViewList
            key={audience}
            label={t(audience === 'all' ? 'find.viewsForAll' : 'find.viewsForMe')}
            views={views.filter(view => view.for === audience)}
            current={current}
            onOpen={view => show(searchOf(view))}
          />
        ))}
        <MenuSeparator />
        {current !== undefined && changed && mayChange && (
          <MenuItem onSelect={() => save(current)}>{t('find.saveView')}</MenuItem>
        )}
        <MenuItem onSelect={() => setOpened('saveAs')}>{t('find.saveViewAs')}</MenuItem>
        {mayChange && (
          <>
            <MenuItem onSelect={() => setOpened('rename')}>{t('find.renameView')}</MenuItem>
            <MenuItem onSelect={() => setOpened('delete')}>{t('find.deleteView')}</MenuItem>
          </>
        )}
      </Menu>
      <Result changes={changes} />
      <ViewDialog key={`saveAs:${opened}`} {...dialog('saveAs')} view={undefined} />
      {current !== undefined && (
        <>
          <ViewDialog key={`rename:${current.id}:${opened}`} {...dialog('rename')} view={current} />
          <DeleteViewDialog {...dialog('delete')} view={current} />
        </>
      )}
    </>
  );
}

interface ViewListProps {
  readonly label: string;
  readonly views: readonly SavedView[];
  readonly current: SavedView | undefined;
  readonly onOpen: (view: SavedView) => void;
}

function ViewList({ label, views, current, onOpen }: ViewListProps) {
  if (views.length === 0) return null;
  return (
    <MenuGroup label={label}>
      {views.map(view => (
        <MenuItem
          key={view.id}
          icon={<Mark isShown={view.id === current?.id} />}
          onSelect={() => onOpen(view)}
        >
          <span className={styles.cut}>{view.name}</span>
        </MenuItem>
      ))}
    </MenuGroup>
  );
}

/** A line of the menu that does nothing. */
function Note({ text }: { readonly text: string }) {
  return (
    <MenuItem disabled onSelect={() => undefined}>
      {text}
    </MenuItem>
  );
}

function Mark({ isShown }: { readonly isShown: boolean }) {
  return <span className={styles.mark}>{isShown && <Check size={14} aria-hidden />}</span>;
}

/** Says what was saved or deleted, and why something was not. */
function Result({
  changes: { create, replace, remove },
}: {
  readonly changes: ReturnType<typeof useViewChanges>;
}) {
  const saved = create.data?.name ?? replace.data?.name;
  return (
    <>
      <span role="status" className="visually-hidden">
        {remove.isSuccess
          ? t('find.viewDeleted', { name: remove.variables.name })
          : saved !== undefined && t('find.viewSaved', { name: saved })}
      </span>
      {replace.error !== null && replace.variables?.keep === false && <ErrorBox error={replace.error} />}
    </>
  );
}

interface ViewDialogProps {
  readonly finder: Finder;
  readonly changes: ReturnType<typeof useViewChanges>;
  /** The view to rename; undefined to save what the page shows as a new one. */
  readonly view: SavedView | undefined;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

/** The name of a view and who sees it. Only who may write records can save views for everyone. */
function ViewDialog({ finder, changes, view, open, onOpenChange }: ViewDialogProps) {
  const form = useId();
  const [name, setName] = useState(view?.name ?? '');
  const [audience, setAudience] = useState<SavedView['for']>(view?.for ?? 'me');
  const maySave = finder.collection.my_rights.includes('write');
  const { error, isPending } = view === undefined ? changes.create : changes.replace;
  const done = { onSuccess: () => onOpenChange(false) };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (view === undefined) changes.create.mutate({ name: name.trim(), for: audience }, done);
    else changes.replace.mutate({ view, name: name.trim(), audience, keep: true }, done);
  };
  return (
    <Dialog
      open={open}
      keepsInput={!isPending}
      onOpenChange={onOpenChange}
      title={t(view === undefined ? 'find.saveAsTitle' : 'find.renameTitle')}
      footer={
        <>
          <Button onClick={() => onOpenChange(false)}>{t('common.cancel')}</Button>
          <Button type="submit" form={form} look="primary" disabled={isPending || name.trim() === ''}>
            {t('common.save')}
          </Button>
        </>
      }
    >
      <form id={form} className={styles.form} onSubmit={submit}>
        <TextField label={t('find.viewName')} maxLength={100} value={name} onChange={setName} />
        {maySave && (
          <ChoiceField<SavedView['for']>
            label={t('find.viewFor')}
            choices={['me', 'all']}
            textOf={each => t(each === 'me' ? 'find.viewForMe' : 'find.viewForAll')}
            value={audience}
            onChange={setAudience}
          />
        )}
        {error !== null && <ErrorBox error={error} />}
      </form>
    </Dialog>
  );
}

interface DeleteViewDialogProps {
  readonly changes: ReturnType<typeof useViewChanges>;
  readonly view: SavedView;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

function DeleteViewDialog({ changes: { remove }, view, open, onOpenChange }: DeleteViewDialogProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={t('find.deleteTitle')}
      footer={
        <>
          <Button onClick={() => onOpenChange(false)}>{t('common.cancel')}</Button>
          <Button
            look="danger"
            disabled={remove.isPending}
            onClick={() => remove.mutate(view, { onSuccess: () => onOpenChange(false) })}
          >
            {t('find.viewDelete')}
          </Button>
        </>
      }
    >
      <p>
        {t('find.deleteViewText', { name: view.name })} {view.for === 'all' && t('find.deleteViewForAll')}
      </p>
      {remove.error !== null && <ErrorBox error={remove.error} />}
    </Dialog>
  );
}
