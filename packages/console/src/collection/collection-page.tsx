import { Outlet } from '@tanstack/react-router';

/** What surrounds the pages of one collection. */
export function CollectionPage() {
  return <Outlet />;
}
