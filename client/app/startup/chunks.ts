/**
 * Modules that the build puts into one file, each by its path below `client/` without an extension, or the beginning of
 * such paths. The build fails when nothing goes by such a name any more.
 */
export const CHUNKS = {
  /** What many pages share, and of the components only those that bring no dialog or editor along. */
  parts: [
    'features/identities/format-state',
    'features/identities/identity-resource',
    'format/counted',
    'lib/copy-text',
    'lib/csv-line',
    'lib/save-file',
    'resource/bulk/bulk-actions',
    'resource/list/',
    'ui/copy-button',
    'ui/fact-list',
    'ui/feedback/closed-page',
    'ui/feedback/empty-state',
    'ui/form/search-form',
    'ui/guarded-button',
    'ui/hooks/use-focus-when-drawn',
    'ui/relative-time',
    'ui/status-dot',
  ],
  /** What the steps of an import share: the shell names each of them. */
  import: [
    'features/identities/import/file-password',
    'features/identities/import/import-outcomes',
    'features/identities/import/schema-choice',
    'features/identities/transfer/transfer.module',
  ],
} as const;
