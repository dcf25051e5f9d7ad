import { Outlet, useMatches } from '@tanstack/react-router';
import { t } from '../i18n/language.js';
import { useTitle } from '../ui/hooks/use-title.js';

/** Gives each page its title. */
export function Root() {
  const title = useMatches({ select: matches => matches.at(-1)?.staticData.title });
  useTitle(title && t(title));
  return <Outlet />;
}
