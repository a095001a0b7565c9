import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type Message, messageQuery } from '../../api/message-record.ts';

const route = getRouteApi('/signed-in/messages/$id');

/** The message of this page, for its tabs: the page shows them only once it is there. */
export function useLoadedMessage(): Message {
  const { id } = route.useParams();
  const { data } = useQuery({ ...messageQuery(id), enabled: false });
  if (data === undefined) throw new Error('useLoadedMessage is only for the tabs of a message');
  return data;
}
