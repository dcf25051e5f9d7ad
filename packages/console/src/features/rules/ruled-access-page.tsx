import { useQuery } from '@tanstack/react-query';
import { collectionQuery } from '../../api/collection-query.js';
import { accessRoute } from '../../api/routes.js';
import { AccessPage } from '../access/access-page.js';
import { RulesSection } from './rules-section.js';

/** The page of access, with the rules of those who share the collection. */
export function RuledAccessPage() {
  const { collection } = accessRoute.useParams();
  const { data: info } = useQuery(collectionQuery(collection));
  return <AccessPage more={info?.my_rights.includes('share') && <RulesSection info={info} />} />;
}
