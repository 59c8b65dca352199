import { everyStoreContract } from "../../contract/store/every-contract.ts";
import { POSTGRES } from "../../support/stores/every-store.ts";

everyStoreContract(POSTGRES);
