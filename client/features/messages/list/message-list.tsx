import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { MESSAGE_PAGES_KEY, messagePageQuery } from '../../../api/messages.ts';
import { TotalAtEnd } from '../../../resource/list/page-line.tsx';
import { usePagesWalked } from '../../../resource/list/page-step.ts';
import { ResourceList } from '../../../resource/list/resource-list.tsx';
import { useCursorList } from '../../../resource/list/use-cursor-list.ts';
import { MESSAGE } from '../message-resource.ts';
import { MESSAGE_ROWS } from './message-columns.tsx';
import { MessageFilter } from './message-filter.tsx';
import { NoMatch } from './no-match.tsx';
import { RecipientActions } from './recipient-actions.tsx';
import { pageParams } from './search-params.ts';

const route = getRouteApi('/signed-in/messages');

export function MessageList() {
  const question = pageParams(route.useSearch(), usePagesWalked());
  const result = useQuery(messagePageQuery(question));
  const list = useCursorList({ question, result, pagesKey: MESSAGE_PAGES_KEY });
  const navigate = route.useNavigate();
  return (
    <ResourceList
      name={MESSAGE}
      list={list}
      rows={MESSAGE_ROWS}
      open={(id, fromList) => void navigate({ to: '/messages/$id', params: { id }, state: { fromList } })}
      search={<MessageFilter />}
      noMatch={({ status, recipient }) =>
        status === undefined && recipient === undefined ? undefined : <NoMatch status={status} recipient={recipient} />
      }
      noData="A message appears here when the identity service writes to somebody: for recovery, verification or sign-in."
      total={<TotalAtEnd shown={list.shown} />}
      order="The newest first; the identity service offers no other order."
      actions={(selection) => <RecipientActions selection={selection} />}
    />
  );
}
