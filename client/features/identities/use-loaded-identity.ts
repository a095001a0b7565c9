import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type Identity, identityQuery } from '../../api/identities-record.ts';

const route = getRouteApi('/signed-in/identities/$id');

/** The identity of this page, for its tabs: the page shows them only once it is there. */
export function useLoadedIdentity(): Identity {
  const { id } = route.useParams();
  const { data } = useQuery({ ...identityQuery(id), enabled: false });
  if (data === undefined) throw new Error('useLoadedIdentity is only for the tabs of an identity');
  return data;
}
