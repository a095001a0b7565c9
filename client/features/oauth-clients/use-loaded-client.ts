import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { clientQuery, type OauthClient } from '../../api/oauth-client-record.ts';

const route = getRouteApi('/signed-in/oauth/clients/$id');

/** The page's client, for its tabs, which are shown only once it has loaded. */
export function useLoadedClient(): OauthClient {
  const { id } = route.useParams();
  const { data } = useQuery({ ...clientQuery(id), enabled: false });
  if (data === undefined) throw new Error('useLoadedClient is only for the tabs of a client');
  return data;
}
