import { queryOptions } from '@tanstack/react-query';
import type { Note, Notes } from '../../shared/notes.ts';
import { deleteAt, request } from './request.ts';

const pathOf = (identity: string): string => `/api/identities/${encodeURIComponent(identity)}/notes`;

/** The notes on a person, newest first. */
export const notesQuery = (identity: string) =>
  queryOptions({
    queryKey: ['identity-notes', identity],
    queryFn: async ({ signal }) => (await request<Notes>(pathOf(identity), { signal })).notes,
    retry: false,
  });

/** @param id of the note to change; undefined adds one */
export const saveNote = (identity: string, id: string | undefined, text: string): Promise<Note> =>
  request(id === undefined ? pathOf(identity) : `${pathOf(identity)}/${id}`, {
    method: id === undefined ? 'POST' : 'PUT',
    // The service accepts no tabs, which texts from tables and logs contain.
    body: { text: text.replaceAll('\t', ' ') },
  });

/** @returns false if it did not exist */
export const deleteNote = (identity: string, id: string, reason: string): Promise<boolean> =>
  deleteAt(`${pathOf(identity)}/${id}`, reason);
