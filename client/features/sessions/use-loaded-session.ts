import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type SessionRecord, sessionRecordQuery } from '../../api/sessions.ts';

const route = getRouteApi('/signed-in/sessions/$id');

/** The session of this page, for its tabs: the page shows them only once it is there. */
export function useLoadedSession(): SessionRecord {
  const { id } = route.useParams();
  const { data } = useQuery({ ...sessionRecordQuery(id), enabled: false });
  if (data === undefined) throw new Error('useLoadedSession is only for the tabs of a session');
  return data;
}
