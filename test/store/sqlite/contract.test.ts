import { everyStoreContract } from "../../contract/store/every-contract.ts";
import { SQLITE } from "../../support/stores/every-store.ts";

everyStoreContract(SQLITE);
