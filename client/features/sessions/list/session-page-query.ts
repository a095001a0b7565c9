import { queryOptions } from '@tanstack/react-query';
import { withMarks } from '../../../api/identity-marks.ts';
import { listedSessions, SESSION_PAGES_KEY } from '../session-queries.ts';
import { needsIndex, type SessionPageParams } from '../session-question.ts';
import { foundSessions } from './found-sessions.ts';

/** A page of all sessions or all active ones, else of those that match. */
export const sessionPageQuery = (params: SessionPageParams) =>
  queryOptions({
    queryKey: [...SESSION_PAGES_KEY, params],
    async queryFn({ client, signal }) {
      await withMarks(client, Promise.resolve());
      const { active, pageSize, token } = params;
      if (!needsIndex(params)) return listedSessions({ active: active === 'true', pageSize, token }, signal);
      return foundSessions(params, signal);
    },
    retry: false,
  });
