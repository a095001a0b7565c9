import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type Identity, identityQuery } from '../../api/identities-record.ts';

const route = getRouteApi('/signed-in/identities/$id');

/** The page's identity, for its tabs, which are shown only once it has loaded. */
export function useLoadedIdentity(): Identity {
  const { id } = route.useParams();
  const { data } = useQuery({ ...identityQuery(id), enabled: false });
  if (data === undefined) throw new Error('useLoadedIdentity is only for the tabs of an identity');
  return data;
}
