import { History } from '../../../resource/detail/history.tsx';
import { useLoadedClient } from '../use-loaded-client.ts';

export const HistoryTab = () => <History subject={`client:${useLoadedClient().client_id}`} />;
