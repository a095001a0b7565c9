/**
 * Modules that the build combines into one file, by the start of their path below `client/`. The build fails if a name
 * matches no module.
 */
export const CHUNKS = {
  /** Shared by many pages; of components only those without dialogs and editors. */
  parts: [
    'features/identities/format-state',
    'features/identities/identity-resource',
    'format/counted',
    'lib/copy-text',
    'lib/exact-json',
    'lib/save-file',
    'ui/copy-button',
    'ui/fact-list',
    'ui/feedback/closed-page',
    'ui/feedback/empty-state',
    'ui/form/search-form',
    'ui/guarded-button',
    'ui/hooks/use-focus-when-drawn',
    'ui/hooks/use-growing',
    'ui/relative-time',
    'ui/status-dot',
  ],
  /** Shared by lists only. */
  lists: ['resource/list/'],
  /** Shared by forms, and by what compares two versions. */
  members: ['lib/json-pointer', 'resource/form/json-value'],
  /** Shared by what changes something; as separate files, the first script would have to name each. */
  undo: [
    'features/identities/form/identity-document',
    'features/identities/identity-change',
    'resource/undo/',
    'ui/feedback/undo-',
  ],
  /** Shared by what asks before it ends or deletes something, and by what writes files. */
  acts: ['lib/csv-line', 'resource/save-first/', 'ui/dialog/way-back'],
  /** Shared by what reads or writes files of identities. */
  transfer: ['features/identities/export/', 'features/identities/save-identities', 'features/identities/transfer/'],
  /** Shared by the steps of an import; as separate files, the first script would have to name each. */
  import: [
    'features/identities/import/file-password',
    'features/identities/import/import-outcomes',
    'features/identities/import/schema-choice',
    'features/identities/transfer/transfer.module',
  ],
} as const;
