import { JsonText } from '../../../ui/json-text.tsx';
import { useLoadedClient } from '../use-loaded-client.ts';

export const JsonTab = () => (
  <JsonText
    label="Client as JSON"
    about="As the OAuth server returned it; it never shows the secret."
    value={useLoadedClient()}
  />
);
