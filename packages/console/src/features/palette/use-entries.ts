import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../../api/client.js';
import { isAllowed } from '../../api/permissions.js';
import { meQuery } from '../../api/session.js';
import { chooseLanguage, LANGUAGES, language, t } from '../../i18n/language.js';
import { mainPages } from '../../values/main-pages.js';
import { chooseTheme, THEMES } from '../../values/theme.js';
import { signOut } from '../account/sign-out.js';
import { type Entry, matching } from './entries.js';

const MOST_COLLECTIONS = 8;

interface Found {
  readonly entries: readonly Entry[];
  /** False while the collections are those of another text. */
  readonly isCurrent: boolean;
}

/**
 * What the palette offers for a text. The service looks for collections as soon as the text is settled; the rest is known
 * here.
 */
export function useEntries(text: string, settled: string, onShortcuts: () => void): Found {
  const navigate = useNavigate();
  const { data: me } = useQuery(meQuery);
  const { data, isPlaceholderData, isPending } = useQuery({
    queryKey: ['palette', settled],
    queryFn: ({ signal }) =>
      api.collections.listCollections(
        {
          scope: 'all',
          sort: 'name',
          limit: MOST_COLLECTIONS,
          ...(settled.trim() !== '' && { q: settled.trim() }),
        },
        { signal },
      ),
    placeholderData: keepPreviousData,
  });
  const collections = (data?.items ?? []).map(
    ({ collection_id, name, description }): Entry => ({
      id: collection_id,
      group: 'collections',
      label: name,
      hint: description ?? undefined,
      run: () => void navigate({ to: '/collections/$collection', params: { collection: collection_id } }),
    }),
  );
  const trash: Entry = {
    id: 'trash',
    group: 'pages',
    label: t('collections.trash_title'),
    run: () => void navigate({ to: '/trash' }),
  };
  const pages: Entry[] = [
    ...mainPages(me).map(
      ({ to, title }): Entry => ({
        id: to,
        group: 'pages',
        label: t(title),
        run: () => void navigate({ to }),
      }),
    ),
    {
      id: 'account',
      group: 'pages',
      label: t('common.account'),
      run: () => void navigate({ to: '/account' }),
    },
    ...(isAllowed(me, 'collections:delete') ? [trash] : []),
  ];
  const create: Entry = {
    id: 'create',
    group: 'actions',
    label: t('collections.create'),
    run: () => void navigate({ to: '/collections', search: { create: true } }),
  };
  const actions: Entry[] = [
    ...(isAllowed(me, 'collections:create') ? [create] : []),
    { id: 'shortcuts', group: 'actions', label: t('palette.shortcuts'), run: onShortcuts },
    ...THEMES.map(
      ({ value, label }): Entry => ({
        id: `theme-${value}`,
        group: 'actions',
        label: `${t('common.theme')}: ${t(label)}`,
        run: () => chooseTheme(value),
      }),
    ),
    ...LANGUAGES.filter(({ value }) => value !== language()).map(
      ({ value, label }): Entry => ({
        id: `language-${value}`,
        group: 'actions',
        label: `${t('common.language')}: ${label}`,
        run: () => chooseLanguage(value),
      }),
    ),
    { id: 'sign-out', group: 'actions', label: t('common.signOut'), run: () => void signOut() },
  ];
  return {
    entries: [...collections, ...matching([...pages, ...actions], text)],
    isCurrent: settled === text && !isPlaceholderData && !isPending,
  };
}
